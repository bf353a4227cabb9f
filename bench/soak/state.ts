/** What the soak site's `/soak/state` answers: what its process holds, behind a collection of its garbage. */
export interface State {
  memory: { rss: number; heapUsed: number; external: number }
  /** What keeps the process running, counted by kind: sockets, timers, ports of threads. */
  resources: Record<string, number>
  /** Objects that are still there, counted by class; only where they are asked for, as it takes its time. */
  objects: Record<string, number>
}
