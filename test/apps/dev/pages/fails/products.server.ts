import { connect } from '../../parts/connect.ts'

export async function load() {
  try {
    connect()
  } catch (cause) {
    throw new Error('no products', { cause })
  }
}
