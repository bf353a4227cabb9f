import { use } from 'react'
import { Word } from './context.ts'

export function Consumer() {
  return <b id="consumer">{`gets ${use(Word)}`}</b>
}
