// The data of the fields in late parts, and the gates at which the action and the data of parts wait.

const VALUES = ['a', 'b', 'c']

function valuesOf(round: number) {
  const choice = VALUES[round] ?? ''
  return { round, text: `text ${choice}`, area: `area ${choice}`, choice, box: round === 0 }
}

export type LateValues = ReturnType<typeof valuesOf>

interface Gate {
  passed: Promise<void>
  open(): void
}

function gate(): Gate {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}

let round = 0
let gates = new Map<string, Gate>()
let action: Gate | undefined

export function clear() {
  round = 0
  gates = new Map()
  action = undefined
}

export const get = () => valuesOf(round)

export async function next() {
  action = gate()
  await action.passed
  action = undefined
  round++
}

export const isActing = () => action !== undefined
export const letActionGo = () => action?.open()

function gateOf(name: string): Gate {
  const known = gates.get(name)
  if (known) return known
  const created = gate()
  gates.set(name, created)
  return created
}

export async function waitFor(part: 'steady' | 'late', data: LateValues) {
  await gateOf(part + data.round).passed
  return data
}

export const letGo = (name: string) => gateOf(name).open()
