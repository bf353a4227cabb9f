import { NumberLinks } from '../../components/number-links.tsx'

export default function Page() {
  return (
    <>
      <h1>Visible</h1>
      <div data-hydrant-prefetch="visible">
        <NumberLinks numbers={[0, 1]} />
        <a href="/n/6" data-hydrant-prefetch="hover">
          6
        </a>
        <p data-hydrant-prefetch="off">
          <a href="/n/7">7</a>
        </p>
        <div style={{ height: 3000 }} />
        <a id="below" href="/n/8">
          8
        </a>
      </div>
    </>
  )
}
