import { useWord } from './use-word.ts'

export function Hooked() {
  return <b id="hooked">{useWord()}</b>
}
