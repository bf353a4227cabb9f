import { waitForever } from '../../../content/later.ts'

export function load(): { late: Promise<string> } {
  return { late: waitForever() }
}
