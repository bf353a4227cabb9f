import { readFile } from 'node:fs'

export async function load() {
  await new Promise((_, reject) => readFile('/no/such/file', reject))
}
