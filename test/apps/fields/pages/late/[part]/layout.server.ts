import { get, waitFor } from '../../../late.server.ts'

export function load() {
  const data = get()
  return { ...data, steady: waitFor('steady', data), later: waitFor('late', data) }
}
