import { NumberLinks } from '../../components/number-links.tsx'

export default function Page() {
  return (
    <>
      <h1>Links</h1>
      <NumberLinks numbers={[0, 1, 2, 3, 4, 5]} />
    </>
  )
}
