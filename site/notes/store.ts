import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Database } from 'libsql'
import { colours, type NewNote, type Note } from './note.ts'

/** How many notes are kept: the newest. */
const MAX_NOTES = 100

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    colour TEXT NOT NULL,
    written_at INTEGER NOT NULL
  )
`

export interface NoteStore {
  /** The newest first. */
  list(): Promise<Note[]>
  find(id: string): Promise<Note | null>
  /** Adds a note; the oldest beyond the bound go. */
  add(note: NewNote): Promise<void>
  /** Whether there was such a note. */
  remove(id: string): Promise<boolean>
  close(): Promise<void>
}

/** Notes in an SQLite file, which is opened when it is first needed. */
export function createNoteStore(file = process.env.NOTES_DB ?? defaultFile()): NoteStore {
  let opened: Promise<Database> | null = null

  function use(): Promise<Database> {
    opened ??= open(file).catch((error: unknown) => {
      // The next visitor may have more luck.
      opened = null
      throw error
    })
    return opened
  }

  return {
    async list() {
      const database = await use()
      return database.prepare('SELECT * FROM notes ORDER BY id DESC LIMIT ?').all(MAX_NOTES).map(toNote)
    },
    async find(id) {
      if (!isId(id)) return null
      const row = (await use()).prepare('SELECT * FROM notes WHERE id = ?').get(Number(id))
      return row === undefined ? null : toNote(row)
    },
    async add({ text, colour }) {
      const database = await use()
      database.prepare('INSERT INTO notes (text, colour, written_at) VALUES (?, ?, ?)').run(text, colour, Date.now())
      database
        .prepare('DELETE FROM notes WHERE id <= (SELECT id FROM notes ORDER BY id DESC LIMIT 1 OFFSET ?)')
        .run(MAX_NOTES)
    },
    async remove(id) {
      if (!isId(id)) return false
      return (await use()).prepare('DELETE FROM notes WHERE id = ?').run(Number(id)).changes > 0
    },
    async close() {
      const database = await opened?.catch(() => null)
      opened = null
      database?.close()
    },
  }
}

function defaultFile(): string {
  // Others of the same machine have a file of their own.
  return join(tmpdir(), `hydrant-notes-${userInfo().uid}.db`)
}

async function open(file: string): Promise<Database> {
  const { default: Libsql } = await import('libsql')
  // In milliseconds: how long to wait for another process that writes.
  const database = new Libsql(file, { timeout: 1_000 })
  database.pragma('journal_mode = WAL')
  database.exec(SCHEMA)
  return database
}

function isId(id: string): boolean {
  return /^[1-9]\d{0,14}$/.test(id)
}

function toNote(row: unknown): Note {
  // What the table's columns hold.
  const { id, text, colour, written_at } = row as { id: number; text: string; colour: string; written_at: number }
  return { id, text, colour: colours.find((name) => name === colour) ?? colours[0], writtenAt: new Date(written_at) }
}
