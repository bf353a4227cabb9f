import { type KeyboardEvent, useEffect, useRef, useState } from 'react'

/** Fields that their handlers empty, before the visitor types on. */
export default function Page() {
  return (
    <>
      <h1>Tags</h1>
      <Controlled />
      <Uncontrolled />
      <p id="late">Late</p>
      <Ready />
    </>
  )
}

function Ready() {
  const [isReady, setReady] = useState(false)
  useEffect(() => setReady(true), [])
  return <output id="ready">{String(isReady)}</output>
}

function Controlled() {
  const [tag, setTag] = useState('')
  const [tags, setTags] = useState<string[]>([])
  function add() {
    setTags([...tags, tag])
    setTag('')
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Backspace' && tag === '') setTags(tags.slice(0, -1))
    if (event.key !== 'Enter' && event.key !== ',') return
    event.preventDefault()
    add()
  }
  return (
    <form method="post" action="/before-sent">
      <input required name="title" />
      <input id="tag" value={tag} onChange={({ target }) => setTag(target.value)} onKeyDown={onKeyDown} />
      <button id="add" type="button" onClick={add}>
        Add
      </button>
      <output id="tags">{tags.join(' ')}</output>
    </form>
  )
}

function Uncontrolled() {
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState<string[]>([])
  function add() {
    if (!field.current) return
    setWords([...words, field.current.value])
    field.current.value = ''
  }
  return (
    <>
      <input id="word" ref={field} onKeyDown={({ key }) => key === 'Enter' && add()} />
      <button id="add-word" type="button" onClick={add}>
        Add
      </button>
      <output id="words">{words.join(' ')}</output>
    </>
  )
}
