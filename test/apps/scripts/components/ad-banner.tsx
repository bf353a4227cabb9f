export default function Ad({ name }: { name: string }) {
  return (
    <>
      <p>
        ad {name} <b>bold</b>
      </p>
      tail {name}
      <img alt="" />
    </>
  )
}
