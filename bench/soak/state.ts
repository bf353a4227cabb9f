/** The response of the soak site's `/soak/state`: the resources of its process after a garbage collection. */
export interface State {
  memory: { rss: number; heapUsed: number; external: number }
  /** The numbers of resources that keep the process running, by kind: sockets, timers, message ports. */
  resources: Record<string, number>
  /** The numbers of live objects, by class. Counting is slow, so this is empty unless the request asks for it. */
  objects: Record<string, number>
}
