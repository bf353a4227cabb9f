import { Component, lazy, Suspense, useEffect, useState } from 'react'
import { total } from '../parts/total.ts'

const Late = lazy(() => import('../parts/late.tsx'))

const PARTS = ['render', 'effect', 'value', 'class', 'late']

/** Each button fails at the line that its name marks. */
export default function Page() {
  const [part, setPart] = useState('')
  return (
    <main>
      {PARTS.map((name) => (
        <button key={name} id={name} type="button" onClick={() => setPart(name)}>
          {name}
        </button>
      ))}
      <button id="event" type="button" onClick={() => fail('event')}>
        event
      </button>
      <button
        id="arrow"
        type="button"
        onClick={() => {
          throw new Error('arrow') // place: arrow
        }}
      >
        arrow
      </button>
      <button id="rejection" type="button" onClick={() => void reject()}>
        rejection
      </button>
      <button id="awaited" type="button" onClick={() => void awaits()}>
        awaited
      </button>
      <button id="timer" type="button" onClick={() => wait()}>
        timer
      </button>
      <button id="import" type="button" onClick={() => total(JSON.parse('null'))}>
        import
      </button>
      <button id="text" type="button" onClick={() => say('text')}>
        text
      </button>
      <button id="promised" type="button" onClick={() => void saysLater()}>
        promised
      </button>
      {part === 'render' && <Broken />}
      {part === 'value' && <Value code={7} />}
      {part === 'effect' && <Effect />}
      {part === 'class' && <Class />}
      {part === 'late' && (
        <Suspense fallback="waits">
          <Late />
        </Suspense>
      )}
    </main>
  )
}

function Broken(): never {
  throw new Error('render') // place: render
}

function Effect() {
  useEffect(() => {
    throw new Error('effect') // place: effect
  })
  return null
}

class Class extends Component {
  override render(): never {
    throw new Error('class') // place: class
  }
}

function Value({ code }: { code: number }): never {
  throw { code } // place: value
}

function say(text: string) {
  throw text // place: text
}

async function saysLater() {
  await null
  await new Promise((_, reject) => reject('promised')) // place: promised
}

function fail(message: string) {
  throw new Error(message) // place: event
}

async function reject() {
  await null
  throw new Error('rejection') // place: rejection
}

async function awaits() {
  await save()
}

async function save() {
  await null
  throw new Error('awaited') // place: awaited
}

function wait() {
  setTimeout(() => {
    throw new Error('timer') // place: timer
  })
}
