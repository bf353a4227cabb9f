import type { GetServerSideProps } from 'next'
import Head from 'next/head'
import { suggestions } from '@/lib/library'
import { readSigned } from '@/lib/session'

interface Props {
  name: string
  suggestions: string[]
}

// A page of the pages router, which the site has had from the beginning.
export const getServerSideProps: GetServerSideProps<Props> = async ({ req }) => {
  const name = readSigned(req.cookies.member)
  if (!name) return { redirect: { destination: '/sign-in', permanent: false } }
  return { props: { name, suggestions } }
}

export default function Members({ name, suggestions }: Props) {
  return (
    <>
      <Head>
        <title>Members</title>
      </Head>
      <h1>{name}’s club</h1>
      <ul>
        {suggestions.map((title) => (
          <li key={title}>{title}</li>
        ))}
      </ul>
    </>
  )
}
