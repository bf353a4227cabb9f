import type { PageProps } from 'hydrant/react'
import { State } from '../parts/state.tsx'
import { StyledBox } from '../parts/styled-box.tsx'
import { word } from '../parts/word-text.ts'

export default function Page({ data }: PageProps<'/errors'>) {
  return (
    <main>
      <h1>{data.title}</h1>
      <StyledBox />
      <p id="word">{word}</p>
      <State />
    </main>
  )
}
