import { get, waitFor } from '../../late.server.ts'

export { action, guard } from './note.server.ts'

export function load() {
  return { later: waitFor('late', get()) }
}
