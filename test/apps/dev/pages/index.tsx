import { Anonymous } from '../parts/anonymous.tsx'
import Box from '../parts/box.tsx'
import { Deep } from '../parts/deep.tsx'
import { Field } from '../parts/forward.tsx'
import { Hooked } from '../parts/hooked.tsx'
import { Memo } from '../parts/memo.tsx'
import { Mixed, WORD } from '../parts/mixed.tsx'
import { State } from '../parts/state.tsx'

void Anonymous

export default function Page() {
  return (
    <main>
      <h1>home</h1>
      <Box />
      <Deep />
      <Field />
      <Hooked />
      <Memo />
      <Mixed />
      <i id="word">{WORD}</i>
      <State />
    </main>
  )
}
