import { rejectLater } from '../../../content/later.ts'

export function load() {
  return { late: rejectLater<string>(150, () => new Error('SECRET-MARKER f4: a deferred promise rejects')) }
}
