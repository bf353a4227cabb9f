import { Word } from '../parts/word.tsx'

export default function Page() {
  return (
    <main>
      <Word />
    </main>
  )
}
