import { MISLEADING } from '../misleading.ts'

export function load() {
  return { late: new Promise<string>((resolve) => setTimeout(resolve, 5, MISLEADING)) }
}
