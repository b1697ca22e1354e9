-- Driven by test_neovim.py: a completion is asked of the stand-in server through the proxy and accepted, as Copilot's
-- plug-ins do it; where Neovim shows inline completions itself (0.12), by its own accept function.

local function wait_for(what, ask)
  local value
  if not vim.wait(20000, function()
    value = ask()
    return value
  end, 20) then
    io.stdout:write('not within 20 s: ' .. what .. '\n')
    vim.cmd('cquit')
  end
  return value
end

local function request(client, method, params, bufnr)
  local result
  local handler = function(_, answer)
    result = { answer }
  end
  if vim.fn.has('nvim-0.11') == 1 then
    client:request(method, params, handler, bufnr)
  else
    client.request(method, params, handler, bufnr)
  end
  return wait_for(method, function()
    return result
  end)[1]
end

local ok, message = xpcall(function()
  vim.opt.runtimepath:append(os.getenv('PLUGIN'))
  local evalplus = require('lsp_evalplus')
  evalplus.setup({ cmd = { os.getenv('SERVER'), 'serve' }, settings = { interpreter = os.getenv('INTERPRETER') } })
  vim.cmd('filetype on')
  vim.cmd('edit ' .. os.getenv('FILE'))
  local bufnr = vim.api.nvim_get_current_buf()
  wait_for('our client', function()
    local client = evalplus.client(bufnr)
    return client and client.initialized ~= false and client.server_capabilities
  end)
  wait_for('our server to listen to proxies', function()
    return #vim.fn.glob(os.getenv('LISTENING') .. '/*.json') > 0
  end)

  local id = vim.lsp.start_client({ name = 'stand-in', cmd = vim.fn.json_decode(os.getenv('COMPLETION')) })
  vim.lsp.buf_attach_client(bufnr, id)
  local completer = wait_for('the completion server', function()
    local client = vim.lsp.get_client_by_id(id)
    return client and client.initialized ~= false and client.server_capabilities and client
  end)
  local last = vim.api.nvim_buf_line_count(bufnr)
  vim.api.nvim_win_set_cursor(0, { last, #vim.api.nvim_buf_get_lines(bufnr, last - 1, last, false)[1] })
  local place = { line = last - 1, character = 4 }
  local params = {
    textDocument = { uri = vim.uri_from_bufnr(bufnr), version = 1 },
    position = place,
    context = { triggerKind = 1 },
  }
  local item = request(completer, 'textDocument/inlineCompletion', params, bufnr).items[1]
  local edit = { range = item.range, newText = item.insertText }
  vim.lsp.util.apply_text_edits({ edit }, bufnr, completer.offset_encoding or 'utf-16')
  request(completer, 'workspace/executeCommand', item.command, bufnr)

  local found = wait_for('the diagnostic', function()
    return vim.diagnostic.get(bufnr)[1]
  end)
  io.stdout:write(vim.fn.json_encode({ step = 'diagnostic', value = { message = found.message } }) .. '\n')
  local name = { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, position = { line = 0, character = 5 } }
  wait_for('the acceptance to be known', function()
    local hover = vim.lsp.buf_request_sync(bufnr, 'textDocument/hover', name, 10000)
    local answer = hover and hover[evalplus.client(bufnr).id]
    return answer and answer.result and answer.result.contents.value:find('Accepted code (from proxy)', 1, true)
  end)
end, debug.traceback)

if not ok then
  io.stdout:write(message .. '\n')
  vim.cmd('cquit')
end
vim.cmd('qall!')
