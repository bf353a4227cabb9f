import { find } from '../parts/find.ts'

export function load() {
  return find('load')
}
