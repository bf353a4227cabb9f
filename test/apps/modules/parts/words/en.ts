export default 'words en'
