-- Driven by test_neovim.py, from outside: a window with our server, the stand-in completion server, and Tab as documented.

vim.opt.runtimepath:append(os.getenv('PLUGIN'))
local evalplus = require('lsp_evalplus')
evalplus.setup({ cmd = { os.getenv('SERVER'), 'serve' }, settings = { interpreter = os.getenv('INTERPRETER') } })
vim.cmd('filetype on')
vim.cmd('edit ' .. os.getenv('FILE'))
local bufnr = vim.api.nvim_get_current_buf()
vim.bo.autoindent = false
vim.bo.indentexpr = ''
vim.bo.expandtab = false
vim.lsp.start({ name = 'stand-in', cmd = vim.json.decode(os.getenv('COMPLETION')) }, { bufnr = bufnr })
vim.lsp.inline_completion.enable(true)
vim.keymap.set('i', '<Tab>', function()
  return evalplus.accept() and '' or '<Tab>'
end, { expr = true })

local told = ''

function ready()
  local clients = vim.lsp.get_clients({ bufnr = bufnr })
  for _, client in ipairs(clients) do
    if not client.initialized then
      return 'no'
    end
  end
  return #clients == 2 and 'yes' or 'no'
end

function ghost()
  local space = vim.api.nvim_create_namespace('nvim.lsp.inline_completion')
  return #vim.api.nvim_buf_get_extmarks(bufnr, space, 0, -1, {}) > 0 and 'yes' or 'no'
end

function text()
  return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), '\n')
end

function hover()
  local place = { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, position = { line = 0, character = 5 } }
  local client = evalplus.client(bufnr)
  client:request('textDocument/hover', place, function(_, result)
    told = result and result.contents.value or ''
  end, bufnr)
  return told
end
