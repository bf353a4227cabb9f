export const star = 'star'
export default 'not exported'
