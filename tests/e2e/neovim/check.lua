-- Driven by test_neovim.py: `nvim --headless --clean -n -u NONE -c 'luafile check.lua'`, with its parts in the environment.
-- Prints one JSON object per step; leaves with an error when a step does not come true.

local function say(step, value)
  io.stdout:write(vim.fn.json_encode({ step = step, value = value }) .. '\n')
end

local function wait_for(what, ask)
  local value
  local ok = vim.wait(20000, function()
    value = ask()
    return value
  end, 20)
  if not ok then
    io.stdout:write('not within 20 s: ' .. what .. '\n')
    vim.cmd('cquit')
  end
  return value
end

local ok, message = xpcall(function()
  vim.opt.runtimepath:append(os.getenv('PLUGIN'))
  local evalplus = require('lsp_evalplus')
  evalplus.setup({ cmd = { os.getenv('SERVER'), 'serve' }, settings = { interpreter = os.getenv('INTERPRETER') } })
  vim.cmd('filetype on')
  vim.cmd('edit ' .. os.getenv('FILE'))
  local bufnr = vim.api.nvim_get_current_buf()
  local client = wait_for('the client', function()
    return evalplus.client(bufnr)
  end)
  wait_for('the server to be initialized', function()
    return client.initialized ~= false and client.server_capabilities
  end)

  -- A completion is accepted: its text is inserted, then reported by place.
  local lines = vim.split(os.getenv('BODY'), '\n')
  local row = vim.api.nvim_buf_line_count(bufnr) - 1
  vim.api.nvim_buf_set_lines(bufnr, row, row + 1, false, lines)
  say('reported', evalplus.notify_accepted(bufnr, row, 0, row + #lines - 1, #lines[#lines], 'full', 'test'))
  local found = wait_for('the diagnostic', function()
    return vim.diagnostic.get(bufnr)[1]
  end)
  say('diagnostic', { message = found.message, source = found.source, line = found.lnum })

  local name = { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, position = { line = 0, character = 5 } }
  local hover = vim.lsp.buf_request_sync(bufnr, 'textDocument/hover', name, 10000)
  say('hover', hover[client.id].result.contents.value)

  local params = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr) },
    range = { start = { line = 0, character = 5 }, ['end'] = { line = 0, character = 5 } },
    context = { diagnostics = {} },
  }
  local answers = vim.lsp.buf_request_sync(bufnr, 'textDocument/codeAction', params, 10000)
  local actions = answers[client.id].result
  local titles = vim.tbl_map(function(action)
    return action.title
  end, actions)
  say('actions', titles)
  for _, action in ipairs(actions) do
    if action.title:match('example to the docstring$') then
      local edit = action.edit
      if not edit then
        edit = vim.lsp.buf_request_sync(bufnr, 'codeAction/resolve', action, 10000)[client.id].result.edit
      end
      vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding or 'utf-16')
    end
  end
  say('applied', vim.api.nvim_buf_get_lines(bufnr, 0, -1, false))

  local count = vim.api.nvim_buf_line_count(bufnr)
  local right = vim.split(os.getenv('RIGHT'), '\n')
  vim.api.nvim_buf_set_lines(bufnr, count - #lines, count, false, right)
  wait_for('the diagnostic to go', function()
    return #vim.diagnostic.get(bufnr) == 0
  end)
  say('cleared', true)
  evalplus.check_file()
end, debug.traceback)

if not ok then
  io.stdout:write(message .. '\n')
  vim.cmd('cquit')
end
vim.cmd('qall!')
