import type { ActionContext } from 'hydrant'

export function load() {
  return { late: new Promise<string>((resolve) => setTimeout(resolve, 20, 'streamed')) }
}

export function action({ form }: ActionContext<'/notes'>) {
  return `sent ${form.get('text')}`
}
