import type { ActionContext } from 'hydrant'

let version = 0

export function load() {
  return { version: ++version }
}

export function action({ form }: ActionContext<'/words'>) {
  return { text: String(form.get('text') ?? form.get('plain')) }
}
