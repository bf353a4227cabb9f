export function Members({ name, suggestions }) {
  return (
    <>
      <title>Members</title>
      <h1>{name}’s club</h1>
      <ul>
        {suggestions.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </>
  )
}
