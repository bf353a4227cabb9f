export function NumberLinks({ numbers }: { numbers: readonly number[] }) {
  return numbers.map((number) => (
    <p key={number}>
      <a href={`/n/${number}`}>n{number}</a>
    </p>
  ))
}
