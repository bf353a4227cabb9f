import { NumberLinks } from '../../components/number-links.tsx'

export default function Page() {
  return (
    <>
      <h1>Many</h1>
      <div data-hydrant-prefetch="visible">
        <NumberLinks numbers={[0, 1, 2, 3, 4, 5, 6]} />
      </div>
    </>
  )
}
