import { notFound } from 'next/navigation'
import { findBook } from '@/lib/library'
import { ReadButton } from './read-button'

interface Props {
  params: Promise<{ id: string }>
}

export async function generateMetadata({ params }: Props) {
  return { title: findBook((await params).id)?.title }
}

export default async function BookPage({ params }: Props) {
  const book = findBook((await params).id)
  if (!book) notFound()
  return (
    <>
      <h1>{book.title}</h1>
      <p>by {book.author}</p>
      <ReadButton />
    </>
  )
}
