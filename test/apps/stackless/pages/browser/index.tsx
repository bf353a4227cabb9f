import { href } from 'hydrant/react'
import { Component, memo, type ReactNode, useActionState, useEffect, useState, useTransition } from 'react'
import { onShared, rejectShared } from '../../parts/handlers.ts'
import { Elsewhere, ForeignElsewhere } from '../../parts/shared-parts.tsx'

/**
 * Buttons by what they make fail. A failure leads to the line that has the name after `place`, or that precedes the name
 * after `begins`.
 */
export default function Page() {
  // begins: foreignRejection
  const [part, setPart] = useState('')
  return (
    <main>
      {Object.keys(PARTS).map((name) => (
        <button key={name} id={name} type="button" onClick={() => setPart(name)}>
          {name}
        </button>
      ))}
      {Object.entries(HANDLERS).map(([name, run]) => (
        <button key={name} id={name} type="button" onClick={run}>
          {name}
        </button>
      ))}
      <Classy />
      <Transition />
      <form action={onForm}>
        <button type="submit" id="form">
          form
        </button>
      </form>
      <ActionState />
      {PARTS[part]?.()}
    </main>
  )
}

const HANDLERS: Record<string, () => unknown> = {
  event: () => {
    throw 'text' // place: event
  },
  eventNumber: () => {
    throw 42 // place: eventNumber
  },
  eventObject: () => {
    throw Object.freeze({ code: 1 }) // place: eventObject
  },
  eventUndefined: () => {
    throw undefined // place: eventUndefined
  },
  async: async () => {
    await null
    throw 'text' // place: async
  },
  rejection: () => void Promise.reject('text'), // place: rejection
  rejectionNull: () => void Promise.reject(null), // place: rejectionNull
  rejectionEmpty: () => void Promise.reject(), // place: rejectionEmpty
  executor: () => void new Promise((_, reject) => reject('text')), // place: executor
  executorEmpty: () => void new Promise((_, reject) => reject()), // place: executorEmpty
  executorLater: () => void new Promise((_, reject) => setTimeout(() => reject('text'))), // place: executorLater
  deferred: () => {
    const { reject } = Promise.withResolvers()
    reject('text') // place: deferred
  },
  outside: () => {
    let late = (_reason: string) => {}
    new Promise((_, reject) => {
      late = reject
    })
    setTimeout(() => late('text')) // place: outside
  },
  abort: () => {
    const controller = new AbortController()
    void fetch('/', controller)
    controller.abort('text') // place: abort
  },
  swallowed: () => {
    try {
      throw 'text'
    } catch {}
  },
  again: () => {
    try {
      inner()
    } catch (error) {
      // biome-ignore lint/complexity/noUselessCatch: that is what is checked
      throw error
    }
  },
  chained: () =>
    void Promise.resolve()
      .then(innerOfPromise)
      .catch((error) => {
        throw error
      }),
  member: () => {
    HANDLERS.kept = () => {}
    throw kept.value // place: member
  },
  choice: () => {
    if (part(1)) throw 'one'
    if (part(2)) throw 'two' // place: choice
    throw 'three'
  },
  many: () => {
    const count = Number(new URLSearchParams(location.search).get('many'))
    for (let index = 0; index < count; index++) {
      Promise.reject(`value ${index}`) // place: many
    }
  },
  shared: onShared,
  sharedRejection: rejectShared,
  timer: () => void setTimeout(onTimer),
  href: () => {
    href('/load/[kind]', { kind: '' }) // place: href
  },
  foreignRejection: () => notBuilt.reject(),
}

const kept = { value: 'text' }

function part(number: number) {
  return number === 2
}

function inner() {
  throw 'text' // place: again
}

async function innerOfPromise() {
  throw 'text' // place: chained
}

const PARTS: Record<string, () => ReactNode> = {
  render: () => <Broken value="text" />,
  memo: () => <Remembered value="text" />,
  class: () => <ClassyRender value="text" />,
  effect: () => <Effective value="text" />,
  elsewhere: () => <Elsewhere value="text" />,
  symbol: () => <Signed />,
  undefined: () => <Nothing />,
  deleted: () => <Deleted />,
  noError: () => <NoError />,
  foreign: () => <Foreign />,
  foreignMemo: () => <ForeignMemo value="text" />,
  foreignClass: () => <ForeignClass />,
  foreignEffect: () => <ForeignEffect value="text" />,
  foreignElsewhere: () => <ForeignElsewhere />,
}

interface Props {
  value: string
}

function Broken({ value }: Props): never {
  throw value // place: render
}

const Remembered = memo(function Inside({ value }: Props): never {
  throw value // place: memo
})

class ClassyRender extends Component<Props> {
  override render(): never {
    throw this.props.value // place: class
  }
}

class Classy extends Component {
  onClick = () => {
    throw 'text' // place: classHandler
  }

  override render() {
    return (
      <button id="classHandler" type="button" onClick={this.onClick}>
        class
      </button>
    )
  }
}

function Transition() {
  const [isPending, start] = useTransition()
  function run() {
    start(async () => {
      await null
      throw 'text' // place: transition
    })
  }
  return (
    <button id="transition" type="button" onClick={run}>
      {String(isPending)}
    </button>
  )
}

async function onForm() {
  throw 'text' // place: form
}

function ActionState() {
  const [, run] = useActionState(async () => {
    throw 'text' // place: actionState
  }, null)
  return (
    <form action={run}>
      <button type="submit" id="actionState">
        action
      </button>
    </form>
  )
}

function Effective({ value }: Props) {
  useEffect(() => {
    throw value // place: effect
  })
  return <p>effect</p>
}

function Signed(): never {
  throw Symbol('sign') // place: symbol
}

function Nothing(): never {
  throw undefined // place: undefined
}

function Deleted(): never {
  const error = new Error('deleted')
  delete error.stack
  throw error // place: deleted
}

class Refused {
  status = 403
}

function NoError(): never {
  throw new Refused() // place: noError
}

function Foreign() {
  // begins: foreign
  return notBuilt.fail()
}

const ForeignMemo = memo(function Inner({ value }: Props) {
  // begins: foreignMemo
  return notBuilt.fail(value)
})

class ForeignClass extends Component {
  // begins: foreignClass
  override render() {
    return notBuilt.fail()
  }
}

function ForeignEffect({ value }: Props) {
  // begins: foreignEffect
  useEffect(() => notBuilt.fail(value))
  return <p>effect</p>
}

function onTimer() {
  throw 'text' // place: timer
}
