import { MISLEADING } from '../misleading.ts'

export function load() {
  return { name: MISLEADING }
}
