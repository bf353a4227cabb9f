export { action } from './early.server.ts'

export function load() {
  return { later: new Promise<string>((resolve) => setTimeout(resolve, 100, 'Part')) }
}
