import { ending } from './ending.ts'

export function Deep() {
  return <b id="deep">{ending('deep')}</b>
}
