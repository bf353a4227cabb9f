import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { readSigned } from '@/lib/session'
import './globals.css'

export const metadata: Metadata = { title: 'Reading club' }

export default async function RootLayout({ children }: { children: ReactNode }) {
  const member = readSigned((await cookies()).get('member')?.value)
  return (
    <html lang="en">
      <body>
        <header>
          <Link href="/">Reading club</Link> <Link href="/suggest">Suggest a book</Link>{' '}
          <Link href="/members">Members</Link> {member ? `Hello ${member}` : <Link href="/sign-in">Sign in</Link>}
        </header>
        <main>{children}</main>
      </body>
    </html>
  )
}
