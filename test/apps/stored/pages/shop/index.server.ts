import type { LoadContext } from 'hydrant'

export interface Cart {
  name: string
  late?: Promise<string>
}

let runs = 0

export const cache = { maxAgeS: 600 }

export function load() {
  return { run: ++runs }
}

/** The cart of a visitor with a name waits until the test, which runs in the same process, settles it. */
export async function loadVisitor({ request }: LoadContext<'/shop'>): Promise<Cart> {
  const name = /name=(\w+)/.exec(request.headers.cookie ?? '')?.[1]
  if (name === undefined) return { name: 'nobody' }
  const { settle } = globalThis as unknown as { settle: Record<string, (name: string) => void> }
  return {
    name: await new Promise((resolve) => {
      settle[name] = resolve
    }),
    late: new Promise((resolve) => setTimeout(resolve, 20, 'late')),
  }
}
