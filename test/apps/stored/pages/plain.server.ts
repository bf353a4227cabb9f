import type { ActionContext } from 'hydrant'

export function load() {
  return 'Plain'
}

export async function action({ form }: ActionContext<'/plain'>) {
  return `sent ${form.get('name')}`
}
