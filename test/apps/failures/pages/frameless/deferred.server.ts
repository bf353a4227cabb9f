import { readFile } from 'node:fs/promises'

export function load() {
  return { late: readFile('/no/such/file') }
}
