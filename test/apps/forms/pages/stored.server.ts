import type { ActionContext } from 'hydrant'

const NEXT: Record<string, string> = { a: 'b', b: 'c', c: 'a' }

let stored = { count: 0, choice: 'a', many: ['a'] }

export function load() {
  return stored
}

export function action({ form }: ActionContext<'/stored'>) {
  const [choice = ''] = next(form, 'choice')
  stored = { count: stored.count + 1, choice, many: next(form, 'many') }
}

function next(form: FormData, name: string): string[] {
  return form.getAll(name).map((value) => NEXT[String(value)] ?? '')
}
