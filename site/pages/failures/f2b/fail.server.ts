import { resolveLater } from '../../../content/later.ts'

export function load() {
  return { late: resolveLater(150, 'late') }
}
