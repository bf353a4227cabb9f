import { type PageProps, useNavigation } from 'hydrant/react'
import { type ChangeEvent, type FormEvent, memo, useState } from 'react'
import { options } from '../components/options.tsx'

const START = {
  text: 'start',
  number: '1',
  area: 'start',
  color: '#000001',
  box: true,
  ticked: false,
  kind: 'a',
  choice: 'a',
  many: ['a'],
}

// React does not render it again when the form is reset.
const Own = memo(() => {
  const [choice, setChoice] = useState('a')
  const [box, setBox] = useState(false)
  const [text, setText] = useState('start')
  return (
    <>
      <select id="ownChoice" value={choice} onChange={({ target }) => setChoice(target.value)}>
        {options}
      </select>
      <input id="ownBox" type="checkbox" checked={box} onChange={({ target }) => setBox(target.checked)} />
      <input id="ownText" value={text} onChange={({ target }) => setText(target.value)} />
    </>
  )
})

type Text = 'text' | 'number' | 'area' | 'color' | 'kind' | 'choice'

export default function Page({ actionData, url }: PageProps<'/controlled'>) {
  const [state, setState] = useState(START)
  const [resets, setResets] = useState(0)
  const [message, setMessage] = useState('')
  const { state: going } = useNavigation()

  const text = (name: Text) => ({
    id: name,
    name,
    value: state[name],
    onChange: ({ target: { value } }: { target: { value: string } }) => setState((old) => ({ ...old, [name]: value })),
  })
  const box = (name: 'box' | 'ticked') => ({
    id: name,
    name,
    type: 'checkbox',
    checked: state[name],
    onChange: ({ target: { checked } }: ChangeEvent<HTMLInputElement>) =>
      setState((old) => ({ ...old, [name]: checked })),
  })
  const chosen = ({ target: { selectedOptions } }: ChangeEvent<HTMLSelectElement>) =>
    setState((old) => ({ ...old, many: [...selectedOptions].map(({ value }) => value) }))
  function onReset(event: FormEvent) {
    setResets((count) => count + 1)
    if (url.search === '?clear') setState(START)
    if (url.search === '?stop') event.stopPropagation()
    if (url.search === '?keep') event.preventDefault()
  }

  return (
    <>
      <form method="post" onReset={onReset}>
        <input {...text('text')} />
        <input {...text('number')} type="number" />
        <input {...text('color')} type="color" />
        <textarea {...text('area')} />
        <input {...box('box')} />
        <input {...box('ticked')} />
        {['a', 'b', 'c'].map((value) => (
          <input key={value} {...text('kind')} id={value} type="radio" value={value} checked={state.kind === value} />
        ))}
        <select {...text('choice')}>{options}</select>
        <select id="many" name="many" multiple value={state.many} onChange={chosen}>
          {options}
        </select>
        <Own />
        <output id="sum">start</output>
        <output id="plain">plain</output>
        <input id="free" name="free" defaultValue="start" />
        <button type="submit" id="send">
          Send
        </button>
        <button id="reset" type="reset">
          Reset
        </button>
      </form>
      <form method="post">
        <input id="message" name="message" value={message} onChange={({ target }) => setMessage(target.value)} />
      </form>
      <p id="state">{JSON.stringify(state)}</p>
      <p id="resets">{resets}</p>
      <p id="late">
        {going} {actionData?.count}
      </p>
    </>
  )
}
