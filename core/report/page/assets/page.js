let options = JSON.parse(document.getElementById('options').textContent);
let plain = texts(options); // as they came; draw adds to them

function texts(options) {
  return Object.fromEntries(Object.entries(options).map(([id, option]) => [id, JSON.stringify(option)]));
}

// draw makes a chart of an option, with what go-echarts has no fields for.
function draw(element, option) {
  const chart = echarts.init(element);
  const [x] = option.xAxis;
  if (x.type === 'value' && option.steps) {
    x.axisLabel = {formatter: t => t >= 1e6 ? t / 1e6 + 'M' : t >= 1e3 ? t / 1e3 + 'k' : t};
  }
  const zoom = option.toolbox.feature.dataZoom;
  if (zoom) zoom.filterMode = 'none';
  const patterns = {dashdot: [7, 3, 2, 3], long: [12, 3]};
  for (const s of option.series) {
    if (s.lineStyle && patterns[s.lineStyle.type]) s.lineStyle.type = patterns[s.lineStyle.type];
    if (s.markLine) s.markLine.silent = true;
    if (s.markArea) s.markArea.silent = true;
    if (!s.name) s.silent = true;
    if (s.type !== 'custom') continue;
    if (s.data[0].value.length === 4) {
      Object.assign(s, {clip: true, z: 3, renderItem: (item, api) => {
        const [category, low, high, bar] = s.data[item.dataIndex].value;
        const middle = api.barLayout(option.bars)[bar].offsetCenter, end = y => [api.coord([category, y])[0] + middle, api.coord([category, y])[1]];
        const [a, b] = [end(low), end(high)], cap = ([x, y]) => [[x - 4, y], [x + 4, y]];
        const line = points => ({type: 'polyline', shape: {points}, style: {stroke: '#333', lineWidth: 1.2, fill: 'none'}});
        return {type: 'group', children: [line([a, b]), line(cap(a)), line(cap(b))]};
      }});
      continue;
    }
    Object.assign(s, {clip: true, renderItem: (item, api) => item.dataIndex > 0 ? null : {
      type: 'polygon', shape: {points: s.data.map(d => api.coord(d.value))}, style: {fill: s.itemStyle.color, stroke: s.itemStyle.borderColor}}});
  }
  const shown = new Set(option.legend.data);
  option.tooltip.formatter = items => {
    const list = (Array.isArray(items) ? items : [items]).filter(i => shown.has(i.seriesName) && i.value !== undefined);
    const text = v => typeof v === 'number' ? v.toFixed(3) : '-';
    const value = v => !Array.isArray(v) ? text(v) : text(v[1]);
    return list.map(i => i.marker + echarts.format.encodeHTML(i.seriesName) + ' ' + value(i.value)).join('<br>');
  };
  chart.setOption(option);
}

for (const [id, option] of Object.entries(options)) draw(document.getElementById(id), option);
addEventListener('resize', () => {
  for (const id of Object.keys(options)) {
    echarts.getInstanceByDom(document.getElementById(id)).resize();
  }
});

// renew takes over what has changed: charts with new data are drawn again, others
// keep what a reader zoomed or hid, and what was unfolded stays so.
async function renew() {
  const state = document.getElementById('state');
  try {
    const answer = await fetch(location.href, {cache: 'no-store'});
    if (!answer.ok) throw new Error(await answer.text());
    const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const next = JSON.parse(fresh.getElementById('options').textContent), old = document.querySelector('main'), main = fresh.querySelector('main');
    const open = new Set([...old.querySelectorAll('details[open]')].map(d => d.dataset.key));
    for (const d of main.querySelectorAll('details')) if (open.has(d.dataset.key)) d.open = true;
    const drawn = [];
    for (const [id, option] of Object.entries(next)) {
      const was = document.getElementById(id);
      if (was && JSON.stringify(option) === plain[id]) main.querySelector('#' + id).replaceWith(was);
      else drawn.push(id);
    }
    for (const e of old.querySelectorAll('.chart')) echarts.dispose(e);
    const [x, y] = [scrollX, scrollY];
    old.replaceWith(document.adoptNode(main));
    document.title = fresh.title;
    plain = texts(next);
    for (const id of Object.keys(next)) {
      if (drawn.includes(id)) draw(document.getElementById(id), next[id]);
      else next[id] = options[id];
    }
    options = next;
    scrollTo(x, y);
    state.textContent = '';
  } catch (e) {
    state.textContent = 'The page is no longer renewed: ' + e.message;
  }
  setTimeout(renew, 3000); // not before the last answer is there
}
if (document.body.dataset.live) setTimeout(renew, 3000);
