interface Props {
  word: string
}

export function Frame({ word }: Props) {
  const text = `${word}!`
  return <b id="box">{text}</b>
}
