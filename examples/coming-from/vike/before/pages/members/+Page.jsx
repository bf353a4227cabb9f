import { useData } from 'vike-react/useData'

export default function Members() {
  const { name, suggestions } = useData()
  return (
    <>
      <h1>{name}’s club</h1>
      <ul>
        {suggestions.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </>
  )
}
