// What the forms store: other values than those that were sent, so that what a field shows tells where it comes from.

export interface Stored {
  round: number
  text: string
  number: number
  day: string
  range: number
  color: string
  area: string
  box: boolean
  ticked: boolean
  kind: string
  choice: string
  many: string[]
  grouped: string
  none: string | null
  outside: string
  outsideChoice: string
  late: string
  keyed: string
}

const START: Stored = {
  round: 0,
  text: 'start',
  number: 1,
  day: '2030-01-01',
  range: 1,
  color: '#ABCDEF',
  area: 'start',
  box: true,
  ticked: false,
  kind: 'a',
  choice: 'a',
  many: ['a', 'b'],
  grouped: 'a',
  none: null,
  outside: 'start',
  outsideChoice: 'a',
  late: 'a',
  keyed: 'start',
}

export const OTHER: Partial<Stored> = {
  round: 7,
  text: 'other',
  choice: 'c',
  kind: 'c',
  many: ['c'],
  box: false,
  late: 'c',
  none: 'c',
  color: '#0A0B0C',
  range: 9,
}

const NEXT: Record<string, string> = { a: 'b', b: 'c', c: 'a' }

let stored = START
let sent: Record<string, string> = {}
let go = () => {}

export const waitForGo = () =>
  new Promise<void>((resolve) => {
    go = resolve
  })
export const letGo = () => go()
export const get = () => stored
export const last = () => sent

export function set(values: Partial<Stored>) {
  stored = { ...stored, ...values }
}

export function clear() {
  stored = START
  sent = {}
}

export function save(form: FormData) {
  const round = stored.round + 1
  const text = (name: string) => String(form.get(name))
  const upper = (name: string) => text(name).toUpperCase()
  const next = (name: string) => NEXT[text(name)] ?? ''
  const texts = [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))
  sent = { ...Object.fromEntries(texts), many: form.getAll('many').join(), round: String(round) }
  stored = {
    round,
    text: upper('text'),
    number: Number(form.get('number')) + 1,
    day: `2030-03-0${round}`,
    range: Number(form.get('range')) + 1,
    color: `#0A0B0${round}`,
    area: upper('area'),
    box: !form.has('box') && round > 1,
    ticked: form.has('ticked') && round < 2,
    kind: next('kind'),
    choice: next('choice'),
    many: form.getAll('many').map((value) => NEXT[String(value)] ?? ''),
    grouped: next('grouped'),
    none: form.get('none') === 'b' ? 'c' : null,
    outside: upper('outside'),
    outsideChoice: next('outsideChoice'),
    late: next('late'),
    keyed: upper('keyed'),
  }
}
