import type { LoadContext } from 'hydrant'

export { action } from './stays.server.ts'

export function load({ app }: LoadContext<'/order/slow'>) {
  return app.gate('slow')
}
