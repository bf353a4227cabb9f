export const WORD = 'word'

export function Mixed() {
  return <b id="mixed">{`mixed ${WORD}`}</b>
}
