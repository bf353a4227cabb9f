import { get } from '../stored.server.ts'

let count = 0

export function load() {
  const { late, ...data } = get()
  return { ...data, count: ++count, later: Promise.resolve(late) }
}
