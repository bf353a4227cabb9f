import type { LoadContext } from 'hydrant'

export function load({ app, signal, url }: LoadContext<'/later'>) {
  const gate = app.gate(`later${url.search}`)
  signal.addEventListener('abort', () => gate.leave(signal.reason))
  return { later: gate.opened }
}
