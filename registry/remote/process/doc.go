// Package process starts a plugin's process over hashicorp/go-plugin, watches
// over it, and makes sure that nothing of it is left behind.
//
// # Life
//
// Start makes a private folder (mode 0700) for the sockets and starts a janitor
// first of all. The janitor is a shell that waits at a pipe. Only this process
// holds the other end. The janitor leads a process group of its own, and the
// plugin joins it. The pipe closes when the process is closed or when this
// program dies in any way whatever. Then the janitor removes the folder and kills
// its own group.
//
// So a plugin's forks die with it. Strangers can never have reused the group id,
// because the janitor itself keeps it alive. Ctrl-C at the terminal goes to the
// foreground group and does not reach a plugin: the host finishes its checkpoint
// and closes the plugin afterwards. On Linux the kernel also kills the plugin when
// its parent dies. Plugins of our kits watch their parent as well. A plugin that
// leaves its group on purpose escapes. It runs with the user's rights, and no
// process can prevent that.
//
// # Death
//
// A call that takes longer than the time-out, or whose connection breaks, ends
// the process and is an *Error that names the plugin, the call, how the process
// ended and what it last wrote to its standard error. Every later call is the
// same error at once. Nothing is restarted: a plugin's state is part of a run,
// and the run goes on from its checkpoint.
package process
