import { Main } from '../components/main.tsx'

export default function Theme() {
  return (
    <Main title="Colors">
      <p>The buttons at the top of each page set the colors of this site.</p>
    </Main>
  )
}
