import { useState } from 'react'
import { useData } from 'vike-react/useData'

export default function BookPage() {
  const { book } = useData()
  const [isRead, setRead] = useState(false)
  return (
    <>
      <h1>{book.title}</h1>
      <p>by {book.author}</p>
      <button type="button" onClick={() => setRead(!isRead)}>
        {isRead ? 'Read' : 'Not read yet'}
      </button>
    </>
  )
}
