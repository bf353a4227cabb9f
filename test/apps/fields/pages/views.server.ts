import { OTHER, set } from '../stored.server.ts'

export function action() {
  set(OTHER)
}
